//! The parts of the agent, put together.

use std::convert::Infallible;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use kube::Client;
use tokio::sync::watch;
use tokio::time::timeout;
use tracing::{info, warn};

use crate::cdi::{probe, runtime};
use crate::claims::accept::ClaimForm;
use crate::claims::{self, Notices, Pods};
use crate::inventory::census::{self, Census};
use crate::inventory::history::History;
use crate::inventory::nvidia::{Nvidia, Patience};
use crate::kubelet::calls::Calls;
use crate::kubelet::checkpoint;
use crate::kubelet::prepare::Prepare;
use crate::kubelet::register::Plugin;
use crate::metrics::exporter::{Exporter, Sources};
use crate::metrics::watched::{self, Watched};
use crate::node::notices;
use crate::node::own::{self, OwnNode};
use crate::node::publish::Publisher;
use crate::node::view::View;
use crate::prepare::{Cards, Delivery, Places, Preparer, Rules};
use crate::proto::deviceplugin::Device;
use crate::reschedule;
use crate::settings::file;
use crate::settings::flags::{Cdi, Claims, Flags};
use crate::settings::node::NodeSettings;
use crate::shares::Divider;
use crate::{install, lock, metrics};

/// How long a look at the devices may take, and how long NVML is kept open, which does not notice devices that come while it is.
const PATIENCE: Patience = Patience { look: Duration::from_secs(10), open: Duration::from_secs(60) };

/// How long the node's label is waited for, before the default settings hold until it is known.
const LABEL_WITHIN: Duration = Duration::from_secs(10);

/// How long a loop that looks at something every few seconds may take for one round before it counts as dead.
const ROUND_WITHIN: Duration = Duration::from_secs(60);

/// The same for the loop that tidies up, which may wait for a disk and for the API server.
const SLOW_ROUND_WITHIN: Duration = Duration::from_secs(300);

/// Where the kernel describes PCI devices.
const PCI_DEVICES: &str = "/sys/bus/pci/devices";

/// Runs the agent until the future is dropped.
///
/// # Errors
/// What it cannot start with: settings, the library, a directory, a way to the API server.
pub async fn run(flags: &Flags) -> Result<Infallible> {
    let configured = file::read(flags.config()).map_err(anyhow::Error::msg)?;
    let _lock = lock::hold(&flags.state_dir).await.context("cannot use the agent's directory")?;
    let version = install(flags)?;
    let nvidia = Arc::new(nvidia(flags)?);
    let history = History::open(&flags.state_dir).context("cannot tell when devices came")?;
    let client = Client::try_default().await.context("no way to the API server")?;
    let known = Known::new(configured.of(None)?);
    let pods = Arc::new(Pods::default());
    let preparer =
        preparer(flags, &known, Arc::clone(&pods)).context("cannot use the agent's directories")?;
    let resource = flags.names().number;
    let devices = known.devices.subscribe();
    let plugin = Plugin::new(resource.clone(), flags.kubelet_dir.clone(), devices, Arc::clone(&preparer));
    let divider = Divider::start().context("cannot start a thread that divides GPUs")?;
    let pod_notices = Notices::new(client.clone(), &flags.node_name);
    let section = flags.section_label();
    // Called at each round of the loops that they are for.
    let label = known.at_each_round("settings", || known.own.label(&section));
    let policy = known.at_each_round("devices", || known.settings.borrow().health.clone());
    let upkeep = known.watched.pulses.watch("upkeep", SLOW_ROUND_WITHIN);
    let (family, calls) = (Arc::clone(&nvidia), plugin.calls());
    let exporter = Exporter::new(known.sources(family, Arc::clone(&preparer), calls, version)).await;
    tokio::select! {
        never = census::take(nvidia.as_ref(), policy, census::PAUSE, history, &known.census) => match never {},
        never = settings(flags, label, &known) => match never {},
        never = known.follow() => match never {},
        never = follow_policy(&known, &preparer) => match never {},
        never = serve(&known, &plugin) => match never {},
        () = divider.follow(preparer.slices(), known.settings.subscribe()) => {}
        () = on_the_node(flags, &client, &known) => {}
        () = claims::watch(client.clone(), &flags.node_name, &resource, &pods) => {}
        () = preparer.tend(&pod_notices, &upkeep) => {}
        never = readiness(flags, &known, plugin.known()) => match never {},
        never = metrics::serve::serve(flags.metrics_bind_address.addresses(), exporter) => match never {},
    }
    anyhow::bail!("a part of the agent has ended")
}

fn install(flags: &Flags) -> Result<String> {
    let version = install::install(&flags.library, &flags.state_dir)
        .with_context(|| format!("cannot install {}", flags.library.display()))?;
    info!(version, "the library is installed");
    Ok(version)
}

fn nvidia(flags: &Flags) -> Result<Nvidia> {
    Nvidia::start(flags.nvml(), PathBuf::from(PCI_DEVICES), PATIENCE)
        .context("cannot start a thread for NVML")
}

/// Tells the cluster what there is to know of this node, follows what the cluster says of it, and sends away what cannot start
/// here. Ends only when it cannot go on.
async fn on_the_node(flags: &Flags, client: &Client, known: &Known) {
    let (publisher, node) = (publisher(flags, client.clone()), &flags.node_name);
    let resource = flags.names().number;
    tokio::select! {
        never = publisher.run(known.own.subscribe(), known.view.subscribe()) => match never {},
        never = notices::follow(client.clone(), node, known.census.subscribe()) => match never {},
        never = reschedule::follow(client, node, &resource, &flags.feature_gates) => match never {},
        () = own::watch(client.clone(), node, &known.own) => {}
    }
}

/// What the parts tell each other.
struct Known {
    census: watch::Sender<Census>,
    settings: watch::Sender<NodeSettings>,
    view: watch::Sender<View>,
    devices: watch::Sender<Vec<Device>>,
    own: OwnNode,
    watched: Watched,
}

impl Known {
    fn new(settings: &NodeSettings) -> Self {
        Self {
            census: watch::Sender::default(),
            settings: watch::Sender::new(settings.clone()),
            view: watch::Sender::new(View::new(&Census::default(), settings)),
            devices: watch::Sender::default(),
            own: OwnNode::default(),
            watched: Watched::default(),
        }
    }

    /// Whom the metrics are had from.
    fn sources<F, C>(
        &self,
        family: Arc<F>,
        preparer: Arc<Preparer<C>>,
        calls: Arc<Calls>,
        library: String,
    ) -> Sources<F, C> {
        let (watched, view) = (self.watched.clone(), self.view.subscribe());
        Sources { watched, family, preparer, view, calls, library }
    }

    /// `ask`, which also says that the loop `name`, which calls it once a round, still goes round.
    fn at_each_round<T>(&self, name: &'static str, ask: impl Fn() -> T) -> impl Fn() -> T {
        let pulse = self.watched.pulses.watch(name, ROUND_WITHIN);
        move || {
            pulse.beat();
            ask()
        }
    }

    /// Gives the API server a moment to tell of this node, and says whether it has.
    async fn waits_for_node(&self) -> bool {
        let mut own = self.own.subscribe();
        timeout(LABEL_WITHIN, own.wait_for(Option::is_some)).await.is_ok()
    }

    /// Keeps the view and what kubelet counts as devices and settings are.
    async fn follow(&self) -> Infallible {
        let (mut census, mut settings) = (self.census.subscribe(), self.settings.subscribe());
        loop {
            let view = View::new(&census.borrow_and_update(), &settings.borrow_and_update());
            publish(&self.devices, view.devices());
            publish(&self.view, view);
            // Both senders are here, so neither channel ends.
            tokio::select! { _ = census.changed() => {}, _ = settings.changed() => {} }
        }
    }
}

/// Tells who listens, if there is something new.
fn publish<T: PartialEq>(channel: &watch::Sender<T>, now: T) {
    channel.send_if_modified(|before| {
        let is_new = *before != now;
        *before = now;
        is_new
    });
}

fn publisher(flags: &Flags, client: Client) -> Publisher {
    Publisher {
        client,
        node: flags.node_name.clone(),
        domain: flags.domain.clone(),
        names: flags.names(),
        gates: flags.feature_gates.clone(),
    }
}

fn preparer(flags: &Flags, known: &Known, pods: Arc<Pods>) -> io::Result<Arc<Preparer<impl Cards + use<>>>> {
    let places = Places {
        checkpoint: flags.kubelet_dir.join(checkpoint::FILE),
        pod_resources: flags.pod_resources.clone(),
        state: flags.state_dir.clone(),
        cdi: flags.cdi_dir.clone(),
        driver_cdi: flags.driver_cdi_dirs.clone(),
        delivery: if flags.cdi == Cdi::None { Delivery::Links } else { Delivery::Cdi },
        library: install::current(&flags.state_dir),
    };
    let rules = Rules {
        node: flags.node_name.clone(),
        domain: flags.domain.clone(),
        resource: flags.names().number,
        form: match flags.claims {
            Claims::Own => ClaimForm::Own,
            Claims::VgpuManager => ClaimForm::PreAllocated,
        },
        policy: known.settings.borrow().compute_policy,
    };
    let view = known.view.subscribe();
    Preparer::new(places, rules, pods, move || view.borrow().cards()).map(Arc::new)
}

/// Keeps the policy for pods that say nothing as the settings have it.
async fn follow_policy<C: Cards>(known: &Known, preparer: &Preparer<C>) -> Infallible {
    let mut settings = known.settings.subscribe();
    loop {
        let policy = settings.borrow_and_update().compute_policy;
        preparer.set_policy(policy).await;
        // The sender is among what is known, so the channel does not end.
        let _ = settings.changed().await;
    }
}

/// Keeps the conditions of readiness as things are.
async fn readiness(flags: &Flags, known: &Known, is_registered: watch::Receiver<bool>) -> Infallible {
    let [gpus, kubelet, directory, reaches] =
        ["gpus", "kubelet", "cdi-directory", "cdi-runtime"].map(|name| known.watched.conditions.add(name));
    let runtime = async {
        if flags.cdi != Cdi::Auto {
            reaches.set(Ok(()));
            return std::future::pending().await;
        }
        runtime::follow(known.own.subscribe(), &flags.runtime_sockets, &flags.cdi_dir, &reaches).await
    };
    let devices = known.devices.subscribe();
    let no_gpu = "there is no GPU to give out: NVML has none, or all are excluded or divided by MIG";
    let unregistered = "kubelet does not listen for devices; it is told of them once there are any";
    tokio::select! {
        never = watched::follow(devices, |devices| !devices.is_empty(), no_gpu, &gpus) => never,
        never = watched::follow(is_registered, |is_registered| *is_registered, unregistered, &kubelet) => never,
        never = probe::follow(&flags.cdi_dir, &directory) => never,
        never = runtime => never,
    }
}

/// Keeps the settings as the file and the node's label have them.
async fn settings(flags: &Flags, label: impl Fn() -> Option<String>, known: &Known) -> Infallible {
    if !known.waits_for_node().await {
        warn!("the API server does not tell of this node yet; the default settings hold meanwhile");
    }
    file::follow(flags.config(), label, file::PAUSE, &known.settings).await
}

/// Serves kubelet, as soon as there is something to serve: a kubelet that is told of no devices would take them from pods.
async fn serve<P: Prepare>(known: &Known, plugin: &Plugin<P>) -> Infallible {
    known.waits_for_node().await;
    let mut devices = known.devices.subscribe();
    // The sender is among what is known, so the channel does not end.
    let _ = devices.wait_for(|devices| !devices.is_empty()).await;
    plugin.run().await
}
