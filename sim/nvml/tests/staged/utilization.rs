//! Load, and what follows from it.

use std::ptr;
use std::thread::sleep;
use std::time::Duration;

use cuda_sys::{
    nvmlClockType_t, nvmlFieldValue_t, nvmlProcessUtilizationSample_t, nvmlReturn_t, nvmlSample_t,
    nvmlTemperatureSensors_t, nvmlUtilization_t, nvmlValue_t, nvmlValueType_t,
};
use sim_kernel::{Client, DeviceIndex, Kernel, Kind, Nanos, Operation, Permille, Utilization};

use crate::nvml::call;
use crate::scene::{Scene, play};

/// What of a device depends on its load.
#[derive(Debug, PartialEq, Eq)]
struct Figures {
    rates: nvmlUtilization_t,
    milliwatts: u32,
    degrees: u32,
    sm_mhz: u32,
}

fn figures(scene: &Scene) -> Figures {
    let device = scene.nvml.device(0);
    let mut seen = Figures { rates: nvmlUtilization_t::default(), milliwatts: 0, degrees: 0, sm_mhz: 0 };
    let answers = [
        call!(scene.nvml, nvmlDeviceGetUtilizationRates(device, &raw mut seen.rates)),
        call!(scene.nvml, nvmlDeviceGetPowerUsage(device, &raw mut seen.milliwatts)),
        call!(
            scene.nvml,
            nvmlDeviceGetTemperature(device, nvmlTemperatureSensors_t::GPU, &raw mut seen.degrees)
        ),
        call!(scene.nvml, nvmlDeviceGetClockInfo(device, nvmlClockType_t::SM, &raw mut seen.sm_mhz)),
    ];
    assert_eq!(answers, [nvmlReturn_t::SUCCESS; 4]);
    seen
}

#[test]
fn a_frozen_machine_reads_the_same_every_time() {
    play(1, |scene| {
        let scene = scene.initialised();
        let observer = scene.connect(Kind::Observer);
        observer.freeze(Some(Utilization { gpu: 37, memory: 5 })).unwrap();
        let expected = Figures {
            rates: nvmlUtilization_t { gpu: 37, memory: 5 },
            milliwatts: 284_600,
            degrees: 43,
            sm_mhz: 1_980,
        };
        for _ in 0..3 {
            assert_eq!(figures(&scene), expected);
        }
    });
}

#[test]
fn an_idle_machine_is_cool_and_slow() {
    play(1, |scene| {
        let scene = scene.initialised();
        let expected =
            Figures { rates: nvmlUtilization_t::default(), milliwatts: 70_000, degrees: 31, sm_mhz: 345 };
        assert_eq!(figures(&scene), expected);
    });
}

fn uses(scene: &Scene, since: u64) -> (nvmlReturn_t, Vec<nvmlProcessUtilizationSample_t>) {
    let device = scene.nvml.device(0);
    let mut samples = [nvmlProcessUtilizationSample_t::default(); 8];
    let mut count = 8;
    let answer = call!(
        scene.nvml,
        nvmlDeviceGetProcessUtilization(device, samples.as_mut_ptr(), &raw mut count, since)
    );
    let count = if answer == nvmlReturn_t::SUCCESS { usize::try_from(count).unwrap() } else { 0 };
    (answer, samples[..count].to_vec())
}

/// Keeps device 0 busy with one kernel, in the name of this process.
fn work(scene: &Scene, time: Duration) -> Client {
    let client = scene.connect(Kind::Cuda);
    let context = client.create_context(DeviceIndex(0)).unwrap();
    let duration = Nanos(u64::try_from(time.as_nanos()).unwrap());
    let kernel = Kernel { duration, sm: Permille::WHOLE, memory: Permille(250) };
    client.enqueue(context.legacy_stream, Operation::Kernel(kernel)).unwrap();
    client
}

/// Asks until there is use to be told, for at most two minutes.
fn first_uses(scene: &Scene) -> Vec<nvmlProcessUtilizationSample_t> {
    for _ in 0..2400 {
        sleep(Duration::from_millis(50));
        if let (nvmlReturn_t::SUCCESS, uses) = uses(scene, 0) {
            return uses;
        }
    }
    panic!("a device that is always busy has a use");
}

#[test]
fn use_by_process_is_not_found_until_there_is_some_and_then_only_newer_than_asked() {
    play(1, |scene| {
        let scene = scene.initialised();
        assert_eq!(uses(&scene, 0).0, nvmlReturn_t::NOT_FOUND);
        let _client = work(&scene, Duration::from_secs(60));
        let uses_seen = first_uses(&scene);
        let [seen] = uses_seen[..] else { panic!("{uses_seen:?}") };
        assert_eq!(seen.pid, std::process::id());
        assert!((1..=100).contains(&seen.smUtil), "{seen:?}");
        assert_eq!((seen.encUtil, seen.decUtil), (0, 0));
        let today = std::time::UNIX_EPOCH.elapsed().unwrap();
        let sampled = Duration::from_micros(seen.timeStamp);
        assert!(sampled < today && today - sampled < Duration::from_secs(60), "{sampled:?} {today:?}");
        let later = seen.timeStamp + 3_600_000_000;
        assert_eq!(uses(&scene, later).0, nvmlReturn_t::NOT_FOUND);
    });
}

#[test]
fn room_for_use_by_process_is_asked_for_without_an_address() {
    play(1, |scene| {
        let scene = scene.initialised();
        let mut count = 0;
        let answer = call!(
            scene.nvml,
            nvmlDeviceGetProcessUtilization(scene.nvml.device(0), ptr::null_mut(), &raw mut count, 0)
        );
        assert_eq!((answer, count), (nvmlReturn_t::INSUFFICIENT_SIZE, 100));
    });
}

#[test]
fn samples_come_with_rising_time_stamps_and_never_more_than_there_is_room_for() {
    play(1, |scene| {
        let scene = scene.initialised();
        let _client = work(&scene, Duration::from_secs(60));
        first_uses(&scene);
        let ask = |since, room: u32, place: *mut nvmlSample_t| {
            let mut count = room;
            let mut kind = nvmlValueType_t::DOUBLE;
            let answer = call!(
                scene.nvml,
                nvmlDeviceGetSamples(scene.nvml.device(0), 1, since, &raw mut kind, &raw mut count, place)
            );
            (answer, kind, count)
        };
        let (answer, kind, available) = ask(0, 0, ptr::null_mut());
        assert_eq!((answer, kind), (nvmlReturn_t::SUCCESS, nvmlValueType_t::UNSIGNED_INT));
        assert!(available >= 1);
        let mut samples = [nvmlSample_t { timeStamp: 0, sampleValue: nvmlValue_t { ullVal: 0 } }; 1];
        let mut last = 0;
        for _ in 0..available {
            assert_eq!(ask(last, 1, samples.as_mut_ptr()).2, 1);
            assert!(samples[0].timeStamp > last);
            last = samples[0].timeStamp;
            // SAFETY: the type of the values is the one told.
            assert!(unsafe { samples[0].sampleValue.uiVal } <= 100);
        }
        assert_eq!(ask(0, 0, samples.as_mut_ptr()).0, nvmlReturn_t::INVALID_ARGUMENT);
        assert_eq!(ask(last + 3_600_000_000, 1, samples.as_mut_ptr()).0, nvmlReturn_t::NOT_FOUND);
    });
}

#[test]
fn a_field_that_is_not_known_says_so_beside_one_that_is() {
    play(1, |scene| {
        let scene = scene.initialised();
        scene.connect(Kind::Observer).freeze(Some(Utilization { gpu: 100, memory: 0 })).unwrap();
        let mut values = [186, 99_999].map(|field| nvmlFieldValue_t {
            fieldId: field,
            scopeId: 0,
            timestamp: 0,
            latencyUsec: 0,
            valueType: nvmlValueType_t::DOUBLE,
            nvmlReturn: nvmlReturn_t::UNKNOWN,
            value: nvmlValue_t { ullVal: 0 },
        });
        let device = scene.nvml.device(0);
        let answer = call!(scene.nvml, nvmlDeviceGetFieldValues(device, 2, values.as_mut_ptr()));
        assert_eq!(answer, nvmlReturn_t::SUCCESS);
        let answers = values.map(|value| value.nvmlReturn);
        assert_eq!(answers, [nvmlReturn_t::SUCCESS, nvmlReturn_t::NOT_SUPPORTED]);
        // SAFETY: the library says that it is one.
        assert_eq!(unsafe { values[0].value.uiVal }, 650_000);
        let answer = call!(scene.nvml, nvmlDeviceGetFieldValues(device, 0, values.as_mut_ptr()));
        assert_eq!(answer, nvmlReturn_t::INVALID_ARGUMENT);
    });
}
