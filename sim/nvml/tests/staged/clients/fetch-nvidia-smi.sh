#!/bin/sh
# Fetches the real nvidia-smi of branches 535 and 550 into the cache, for the tests of this folder. They are packages of
# Debian's non-free section; nothing is installed, and apt's own state is left alone.
#
# usage: fetch-nvidia-smi.sh      (Debian, with the archive of the running system in reach)
set -eu

cache=${XDG_CACHE_HOME:-$HOME/.cache}/vgpu/nvidia-smi
sources=/etc/apt/sources.list.d/debian.sources
own=$(. /etc/os-release && echo "$VERSION_CODENAME")

# fetch BRANCH SUITE: the nvidia-smi of the suite, which has to be of the branch.
fetch() {
    branch=$1 suite=$2 work=$cache/work-$1
    rm -rf "$work"
    mkdir -p "$work/lists/partial" "$work/archives/partial" "$cache/$branch"
    sed -e "s/\b$own\b/$suite/g; s/\b$own-/$suite-/g; s/^Components:.*/Components: non-free/" "$sources" \
        > "$work/debian.sources"
    cat > "$work/apt.conf" <<END
Dir::State::Lists "$work/lists";
Dir::Cache "$work";
Dir::Etc::SourceList "$work/debian.sources";
Dir::Etc::SourceParts "-";
APT::Sandbox::User "";
END
    export APT_CONFIG="$work/apt.conf"
    apt-get update -q
    (cd "$work" && apt-get download -q "nvidia-smi=$branch.*" && dpkg -x nvidia-smi_*.deb unpacked)
    cp "$work/unpacked/usr/lib/nvidia/current/nvidia-smi" "$cache/$branch/nvidia-smi"
    rm -rf "$work"
    echo "$cache/$branch/nvidia-smi"
}

fetch 535 bookworm
fetch 550 trixie
