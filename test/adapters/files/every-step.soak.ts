/* What once.test.ts and reading-crash.slow.test.ts try at every fifth step, at every one. */

process.env.TILLBRIDGE_EVERY_STEP = 'true'
await import('./once.test.ts')
await import('./reading-crash.slow.test.ts')
