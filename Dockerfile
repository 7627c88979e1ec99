# A tag may be given to other bytes one day. To build from the same ones each time, name them by digest: take it from
# `docker buildx imagetools inspect node:24-slim` and write FROM node:24-slim@sha256:… here; renew it for security updates.
FROM --platform=$BUILDPLATFORM node:24-slim AS build
WORKDIR /build
# No install script runs and nothing is compiled: what is native ships its binaries, for each platform.
COPY package.json package-lock.json ./
COPY bin ./bin
COPY packages ./packages
RUN npm ci --ignore-scripts
COPY tools ./tools
COPY config ./config
COPY src ./src
COPY sandbox ./sandbox
COPY LICENSE CHANGELOG.md tsconfig.json ./
# Node reads source maps only when it is told to; and there are binaries of other systems.
RUN npm run build && cd dist && find . -name '*.map' -delete && rm $(ls -d node_modules/better-sqlite3/prebuilds/* | grep -v /linux-)

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /build/dist ./
# `tillbridge` is a command in here, and the hub's user writes to data alone, where the example's store.url points.
RUN ln -s /app/bin/tillbridge.mjs /usr/local/bin/tillbridge && mkdir data && chown node:node data
VOLUME /app/data
USER node
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=10s --start-period=20s CMD tillbridge health || exit 1
CMD ["tillbridge", "start"]
