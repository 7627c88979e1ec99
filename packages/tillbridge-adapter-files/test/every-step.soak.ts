/* What reading-crash.slow.test.ts tries at every fifth step, at every one. */

process.env.TILLBRIDGE_EVERY_STEP = 'true'
await import('./reading-crash.slow.test.ts')
