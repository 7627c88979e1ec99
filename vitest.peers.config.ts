import { defineConfig } from 'vitest/config'

/** Against real foreign systems, each installed in a folder of its own below test/peers: `npm run test:vendure`. */
export default defineConfig({
  test: {
    include: ['test/peers/*.peer.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
