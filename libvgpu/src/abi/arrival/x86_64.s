        endbr64
        // The caller's address is on top of the stack, and stays there.
        mov     rdi, qword ptr [rsp]
        jmp     {arrived}
