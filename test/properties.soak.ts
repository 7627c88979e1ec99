/* Properties that `npm test` tries at a quarter of the times, at all of them. */

process.env.TILLBRIDGE_EVERY_STEP = 'true'
await import('../packages/tillbridge-adapter-files/test/reading-content.test.ts')
await import('../packages/tillbridge-adapter-sms-http/test/text.test.ts')
await import('./cli/push/reading.test.ts')
await import('./domain/values/store-time.test.ts')
