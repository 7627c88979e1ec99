import { defineConfig } from 'vitest/config'

/** What people get, as they get it: the README typed from the top, the image, the package. `npm run test:readme` is the first alone. */
export default defineConfig({
  test: {
    include: ['test/shipped/*.proof.ts'],
    // Most of it waits for downloads.
    maxWorkers: 3,
    // A download and a demo are in it.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
  },
})
