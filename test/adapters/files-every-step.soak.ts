/* What files-once.test.ts and files-reading-crash.test.ts try at every fifth step, at every one. */

process.env.TILLBRIDGE_EVERY_STEP = 'true'
await import('./files-once.test.ts')
await import('./files-reading-crash.test.ts')
