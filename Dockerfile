# A tag may be given to other bytes one day. To build from the same ones each time, name them by digest: take it from
# `docker buildx imagetools inspect node:24-slim` and write FROM node:24-slim@sha256:… here; renew it for security updates.
FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app

# No install script runs and nothing is compiled: better-sqlite3 ships its binaries.
COPY package.json package-lock.json ./
COPY bin ./bin
COPY packages ./packages
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY tools ./tools
COPY src ./src
COPY config/example.yaml ./config/

# `tillbridge` is a command in here, and the hub's user writes to data alone, where the example's store.url points.
RUN mkdir data && chown node:node data
ENV PATH=/app/node_modules/.bin:$PATH
VOLUME /app/data
USER node
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=10s --start-period=20s CMD tillbridge health || exit 1
CMD ["tillbridge", "start"]
