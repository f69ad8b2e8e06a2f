        hint    #34                     // bti c
        mov     x0, x30
        b       {arrived}
