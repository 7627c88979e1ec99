# A tag may be given to other bytes one day. To build from the same ones each time, name them by digest: take it from
# `docker buildx imagetools inspect node:24-slim` and write FROM node:24-slim@sha256:… here; renew it for security updates.
FROM node:24-slim
# What `npm start` sets by tools/lean-memory.mjs.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=200000 MALLOC_TRIM_THRESHOLD_=2000000
WORKDIR /app

# No install script runs and nothing is compiled: better-sqlite3 ships its binaries.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY src ./src
COPY tools/compile-cache.mjs ./tools/
COPY config/example.yaml ./config/

# The config is mounted at /app/config/tillbridge.yaml; its store.url points into the volume: file:/data/tillbridge.db
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
  CMD node -e "const p=process.env.PORT||8080;require('node:http').get('http://127.0.0.1:'+p+'/health/live',(r)=>process.exit(r.statusCode===200?0:1)).on('error',()=>process.exit(1))"
CMD ["node", "--max-semi-space-size=4", "--heap-growing-percent=20", "--no-allocation-site-pretenuring", \
  "--import", "./tools/compile-cache.mjs", "src/main.ts"]
