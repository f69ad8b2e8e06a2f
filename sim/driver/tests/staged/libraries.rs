//! Images of every kind, libraries, and the linker.

use std::ffi::{CStr, c_char};
use std::ptr::{from_mut, null_mut};

use cuda_sys::{
    CUfunction, CUfunction_attribute, CUkernel, CUlibrary, CUlinkState, CUmodule, CUresult, CUstream,
};

use crate::cuda::{call, get};
use crate::scene::{Play, Scene};

const PTX: &CStr = c".version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .b8 table[64];
.visible .entry first(.param .u64 p, .param .u32 n) { ret; }
.visible .entry second() { ret; }
";

/// Kind of linker input.
const CODE_OF_PTX: u32 = 1;

fn load(scene: &Scene, image: &CStr) -> CUlibrary {
    let (image, none, options) = (image.as_ptr().cast(), null_mut(), null_mut());
    get!(scene.cuda, cuLibraryLoadData(_, image, none, null_mut(), 0, options, null_mut(), 0))
}

fn launch(scene: &Scene, kernel: CUfunction) -> CUresult {
    scene.cuda.launch(kernel, CUstream(null_mut()))
}

#[test]
fn a_kernel_that_an_image_does_not_have_is_not_found() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let module: CUmodule = get!(scene.cuda, cuModuleLoadData(_, PTX.as_ptr().cast()));
        let first: CUfunction = get!(scene.cuda, cuModuleGetFunction(_, module, c"first".as_ptr()));
        assert_eq!(launch(&scene, first), CUresult::SUCCESS);
        let mut function = CUfunction(null_mut());
        let code = call!(scene.cuda, cuModuleGetFunction(&raw mut function, module, c"third".as_ptr()));
        assert_eq!(code, CUresult::NOT_FOUND);
        let mut wrong = CUmodule(null_mut());
        let code = call!(scene.cuda, cuModuleLoadData(&raw mut wrong, c"junk".as_ptr().cast()));
        assert_eq!(code, CUresult::INVALID_PTX);
    });
}

#[test]
fn a_variable_has_memory_until_its_module_is_unloaded_and_cannot_be_freed() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let module: CUmodule = get!(scene.cuda, cuModuleLoadData(_, PTX.as_ptr().cast()));
        let (mut address, mut bytes, name) = (0, 0, c"table".as_ptr());
        let code = call!(scene.cuda, cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, module, name));
        assert_eq!((code, bytes), (CUresult::SUCCESS, 64));
        assert_eq!(call!(scene.cuda, cuMemsetD8_v2(address, 3, 64)), CUresult::SUCCESS);
        let mut again = 0;
        let code = call!(scene.cuda, cuModuleGetGlobal_v2(&raw mut again, null_mut(), module, name));
        assert_eq!((code, again), (CUresult::SUCCESS, address));
        assert_eq!(call!(scene.cuda, cuMemFree_v2(address)), CUresult::INVALID_VALUE);
        assert_eq!((scene.truth().code.0, scene.truth().requested.0), (64, 0));
        assert_eq!(call!(scene.cuda, cuModuleUnload(module)), CUresult::SUCCESS);
        assert_eq!(scene.truth().code.0, 0);
    });
}

#[test]
fn a_kernel_of_a_library_is_launched_in_whichever_context_is_current() {
    Play::new().run(|scene| {
        let scene = scene.initialised();
        let library = load(&scene, PTX);
        let kernel: CUkernel = get!(scene.cuda, cuLibraryGetKernel(_, library, c"first".as_ptr()));
        let mut absent = CUkernel(null_mut());
        let code = call!(scene.cuda, cuLibraryGetKernel(&raw mut absent, library, c"third".as_ptr()));
        assert_eq!(code, CUresult::NOT_FOUND);
        for _ in 0..2 {
            let context = scene.create_context(0);
            let function: CUfunction = get!(scene.cuda, cuKernelGetFunction(_, kernel));
            assert_eq!(launch(&scene, function), CUresult::SUCCESS);
            // A library's kernel may be given in place of a function.
            assert_eq!(launch(&scene, CUfunction(kernel.0)), CUresult::SUCCESS);
            assert_eq!(call!(scene.cuda, cuCtxSynchronize()), CUresult::SUCCESS);
            assert_eq!(call!(scene.cuda, cuCtxDestroy_v2(context)), CUresult::SUCCESS);
        }
        assert_eq!(scene.truth().kernels, 4);
    });
}

#[test]
fn what_is_set_of_a_kernel_holds_in_its_functions() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let library = load(&scene, PTX);
        let kernel: CUkernel = get!(scene.cuda, cuLibraryGetKernel(_, library, c"first".as_ptr()));
        let shared = CUfunction_attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let code = call!(scene.cuda, cuKernelSetAttribute(shared, 100_000, kernel, 0));
        assert_eq!(code, CUresult::SUCCESS);
        assert_eq!(get!(scene.cuda, cuKernelGetAttribute(_, shared, kernel, 0)), 100_000);
        let function: CUfunction = get!(scene.cuda, cuKernelGetFunction(_, kernel));
        assert_eq!(get!(scene.cuda, cuFuncGetAttribute(_, shared, function)), 100_000);
    });
}

#[test]
fn a_kernel_tells_its_name_and_its_parameters() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        if scene.branch != "550" {
            return;
        }
        let library = load(&scene, PTX);
        assert_eq!(get!(scene.cuda, cuLibraryGetKernelCount(_, library)), 2);
        let mut kernels = [CUkernel(null_mut()); 2];
        let code = call!(scene.cuda, cuLibraryEnumerateKernels(kernels.as_mut_ptr(), 2, library));
        assert_eq!(code, CUresult::SUCCESS);
        let name: *const c_char = get!(scene.cuda, cuKernelGetName(_, kernels[1]));
        // SAFETY: the library is loaded.
        assert_eq!(unsafe { CStr::from_ptr(name) }, c"second");
        let (mut offset, mut size) = (0_usize, 0_usize);
        let mut ask = |index| {
            call!(scene.cuda, cuKernelGetParamInfo(kernels[0], index, from_mut(&mut offset), &raw mut size))
        };
        assert_eq!((ask(1), ask(2)), (CUresult::SUCCESS, CUresult::INVALID_VALUE));
        assert_eq!((offset, size), (8, 4));
    });
}

#[test]
fn what_the_linker_makes_can_be_loaded_again() {
    Play::new().run(|scene| {
        let (scene, _) = scene.with_context();
        let mut link = CUlinkState(null_mut());
        let code = call!(scene.cuda, cuLinkCreate_v2(0, null_mut(), null_mut(), &raw mut link));
        assert_eq!(code, CUresult::SUCCESS);
        let (data, size) = (PTX.as_ptr().cast_mut().cast(), PTX.to_bytes_with_nul().len());
        let (name, none, values) = (c"a".as_ptr(), null_mut(), null_mut());
        let code = call!(scene.cuda, cuLinkAddData_v2(link, CODE_OF_PTX, data, size, name, 0, none, values));
        assert_eq!(code, CUresult::SUCCESS);
        let (mut image, mut size) = (null_mut(), 0);
        let code = call!(scene.cuda, cuLinkComplete(link, &raw mut image, &raw mut size));
        assert!(code == CUresult::SUCCESS && size > 0);
        let module: CUmodule = get!(scene.cuda, cuModuleLoadData(_, image.cast_const()));
        assert_eq!(call!(scene.cuda, cuLinkDestroy(link)), CUresult::SUCCESS);
        let second: CUfunction = get!(scene.cuda, cuModuleGetFunction(_, module, c"second".as_ptr()));
        assert_eq!(launch(&scene, second), CUresult::SUCCESS);
        let (mut address, mut bytes) = (0, 0);
        let name = c"table".as_ptr();
        let code = call!(scene.cuda, cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, module, name));
        assert_eq!((code, bytes), (CUresult::SUCCESS, 64));
    });
}
