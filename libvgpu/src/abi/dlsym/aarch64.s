// Arguments: x0 handle, x1 name, x2 version (dlvsym only; saved in both).
        hint    #34                     // bti c
        cbz     x1, 3f
        // A name that does not start with cu, nv or dl is not ours.
        ldrb    w9, [x1]
        cmp     w9, #99                 // c
        b.eq    21f
        cmp     w9, #110                // n
        b.eq    22f
        cmp     w9, #100                // d
        b.ne    3f
        ldrb    w9, [x1, #1]
        cmp     w9, #108                // l
        b.eq    2f
        b       3f
21:     ldrb    w9, [x1, #1]
        cmp     w9, #117                // u
        b.eq    2f
        b       3f
22:     ldrb    w9, [x1, #1]
        cmp     w9, #118                // v
        b.ne    3f
        // Ask the filter: x0 = 0 means that x1 is the answer, anything else that the real function is to answer.
2:      stp     x0, x1, [sp, #-32]!
        stp     x2, x30, [sp, #16]
        bl      {filter}
        mov     x9, x0
        mov     x10, x1
        ldp     x2, x30, [sp, #16]
        ldp     x0, x1, [sp], #32
        cbnz    x9, 3f
        mov     x0, x10
        ret
        // Jump to the real function.
3:      adrp    x9, {real}
        ldr     x16, [x9, :lo12:{real}]
        cbz     x16, 4f
        br      x16
        // Find it first.
4:      stp     x0, x1, [sp, #-32]!
        stp     x2, x30, [sp, #16]
        bl      {resolve}
        mov     x16, x0
        ldp     x2, x30, [sp, #16]
        ldp     x0, x1, [sp], #32
        br      x16
