// Arguments: rdi handle, rsi name, rdx version (dlvsym only; saved in both, which also aligns the stack).
        endbr64
        test    rsi, rsi
        jz      3f
        // A name that does not start with cu, nv or dl is not ours.
        mov     al, byte ptr [rsi]
        cmp     al, 'c'
        je      21f
        cmp     al, 'n'
        je      22f
        cmp     al, 'd'
        jne     3f
        cmp     byte ptr [rsi + 1], 'l'
        je      2f
        jmp     3f
21:     cmp     byte ptr [rsi + 1], 'u'
        je      2f
        jmp     3f
22:     cmp     byte ptr [rsi + 1], 'v'
        jne     3f
        // Ask the filter: rax = 0 means that rdx is the answer, anything else that the real function is to answer.
2:      push    rdi
        push    rsi
        push    rdx
        call    {filter}
        mov     rcx, rdx
        pop     rdx
        pop     rsi
        pop     rdi
        test    rax, rax
        jnz     3f
        mov     rax, rcx
        ret
        // Jump to the real function.
3:      mov     rax, qword ptr [rip + {real}]
        test    rax, rax
        jz      4f
        jmp     rax
        // Find it first.
4:      push    rdi
        push    rsi
        push    rdx
        call    {resolve}
        pop     rdx
        pop     rsi
        pop     rdi
        jmp     rax
