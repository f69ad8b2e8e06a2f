//! `cuGetProcAddress`, replayed from the recordings.

use std::ffi::{CStr, CString, c_void};
use std::fs;

use cuda_sys::{CUdriverProcAddressQueryResult as Status, CUresult, CUuuid};

use crate::cuda::{Cuda, call};
use crate::profile::recorded;
use crate::scene::{Play, library, new_folder};

/// Something that no lookup gives.
const UNTOUCHED: *mut c_void = std::ptr::without_provenance_mut(1);

fn ask_v1(cuda: &Cuda, name: &str, version: i32, flags: u64) -> (CUresult, *mut c_void) {
    let name = CString::new(name).unwrap();
    let mut found = UNTOUCHED;
    let code = call!(cuda, cuGetProcAddress(name.as_ptr(), &raw mut found, version, flags));
    (code, found)
}

fn ask(cuda: &Cuda, name: &str, version: i32, flags: u64) -> (CUresult, *mut c_void, Status) {
    let name = CString::new(name).unwrap();
    let (mut found, mut status) = (UNTOUCHED, Status(9));
    let code =
        call!(cuda, cuGetProcAddress_v2(name.as_ptr(), &raw mut found, version, flags, &raw mut status));
    (code, found, status)
}

/// Whether the branch has the second version of the call.
fn has_v2(cuda: &Cuda) -> bool {
    !cuda.address("cuGetProcAddress_v2").is_null()
}

/// Every version of the call must give `symbol`, or say that the version is too low.
fn check(cuda: &Cuda, name: &str, version: i32, flags: u64, symbol: Option<&str>) {
    let what = format!("{name} {version} {flags}");
    let has_v2 = has_v2(cuda);
    let expected = symbol.map(|symbol| cuda.address(symbol));
    match expected {
        Some(address) => {
            assert!(!address.is_null(), "{what}: not exported");
            let found = (CUresult::SUCCESS, address, Status::SUCCESS);
            assert!(!has_v2 || ask(cuda, name, version, flags) == found, "{what}");
            assert_eq!(ask_v1(cuda, name, version, flags), (CUresult::SUCCESS, address), "{what}");
        }
        None => {
            let nothing = (CUresult::SUCCESS, std::ptr::null_mut(), Status::VERSION_NOT_SUFFICIENT);
            assert!(!has_v2 || ask(cuda, name, version, flags) == nothing, "{what}");
            assert_eq!(ask_v1(cuda, name, version, flags), (CUresult::NOT_FOUND, UNTOUCHED), "{what}");
        }
    }
}

#[test]
fn every_recorded_answer_is_given_at_and_below_each_threshold() {
    Play::everywhere().run(|scene| {
        let mut answers = 0;
        for recorded in recorded(scene.branch) {
            for flags in if recorded.per_thread { [2, 3] } else { [0, 1] } {
                let mut below = None;
                for (since, symbol) in &recorded.answers {
                    check(&scene.cuda, &recorded.base, since - 1, flags, below);
                    check(&scene.cuda, &recorded.base, *since, flags, Some(symbol));
                    below = Some(symbol.as_str());
                    answers += 1;
                }
                // As without sign: the highest version.
                check(&scene.cuda, &recorded.base, -1, flags, below);
            }
        }
        assert!(answers > 900, "{answers}");
    });
}

#[test]
fn the_oldest_branch_has_the_first_version_of_the_call_only() {
    Play::everywhere().run(|scene| assert_eq!(has_v2(&scene.cuda), scene.branch != "470"));
}

#[test]
fn a_name_is_found_exactly_or_not_at_all() {
    Play::new().run(|scene| {
        for name in
            ["", "cuMemAlloc_v2", "cuLaunchKernel_ptsz", "cumemalloc", "cuEGLApiInit", "cuMemGetAttribute"]
        {
            let nothing = (CUresult::SUCCESS, std::ptr::null_mut(), Status::SYMBOL_NOT_FOUND);
            assert_eq!(ask(&scene.cuda, name, 12_000, 0), nothing, "{name}");
            assert_eq!(ask_v1(&scene.cuda, name, 12_000, 0), (CUresult::NOT_FOUND, UNTOUCHED), "{name}");
        }
        let mut found = UNTOUCHED;
        let null = std::ptr::null_mut();
        assert_eq!(call!(scene.cuda, cuGetProcAddress_v2(c"".as_ptr(), &raw mut found, 0, 0, null)).0, 0);
        assert!(found.is_null());
    });
}

#[test]
fn unknown_flags_are_refused_and_nothing_is_written() {
    Play::new().run(|scene| {
        for flags in [4, 7, 1 << 63] {
            let (code, found, status) = ask(&scene.cuda, "cuInit", 12_000, flags);
            assert_eq!((code, found, status), (CUresult::INVALID_VALUE, UNTOUCHED, Status(9)));
            assert_eq!(ask_v1(&scene.cuda, "cuInit", 12_000, flags), (CUresult::INVALID_VALUE, UNTOUCHED));
        }
    });
}

#[test]
fn lookups_are_traced_where_the_environment_says() {
    let path = new_folder().with_extension("trace");
    Play::new().env("VGPU_SIM_TRACE", path.to_str().unwrap()).run(|scene| {
        let _ = ask(&scene.cuda, "cuMemAlloc", 3020, 0);
        let _ = ask_v1(&scene.cuda, "cuMemAlloc", 1, 2);
        let _ = ask(&scene.cuda, "cuNothing", 12_000, 0);
        let _ = ask(&scene.cuda, "cuInit", 12_000, 4);
        let path = std::env::var_os("VGPU_SIM_TRACE").unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(
            text,
            "cuMemAlloc 3020 0 -> cuMemAlloc_v2\ncuMemAlloc 1 2 -> VERSION_NOT_SUFFICIENT\n\
             cuNothing 12000 0 -> SYMBOL_NOT_FOUND\ncuInit 12000 4 -> INVALID_VALUE\n"
        );
        fs::remove_file(path).unwrap();
    });
}

#[test]
fn a_library_in_front_gets_no_call_and_no_lookup_of_the_driver_itself() {
    // The null driver exports the same names, and as a preloaded library it comes first.
    Play::new().env("LD_PRELOAD", library("null").to_str().unwrap()).run(|scene| {
        let in_front = |name: &CStr| {
            // SAFETY: only the address is looked at.
            unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
        };
        let (scene, _) = scene.with_context();
        assert_eq!(scene.truth().contexts, 1, "the driver has called somebody else");
        assert!(!in_front(c"cuMemAlloc_v2").is_null());
        for recorded in recorded(scene.branch) {
            for (since, symbol) in recorded.answers {
                let flags = if recorded.per_thread { 2 } else { 0 };
                let (_, found, _) = ask(&scene.cuda, &recorded.base, since, flags);
                assert_ne!(found, in_front(&CString::new(symbol).unwrap()), "{}", recorded.base);
            }
        }
    });
}

#[test]
fn no_export_table_is_known() {
    Play::new().run(|scene| {
        let mut table = std::ptr::null();
        let id = CUuuid { bytes: [0x6b; 16] };
        let code = call!(scene.cuda, cuGetExportTable(&raw mut table, &raw const id));
        assert_eq!((code, table), (CUresult::INVALID_VALUE, std::ptr::null()));
    });
}
