/** How often a property is tried: in `npm test` at a quarter of the times, in properties.soak.ts, which sets this, at all. */
export function often(times: number): { numRuns: number } {
  return { numRuns: process.env.TILLBRIDGE_EVERY_STEP === 'true' ? times : Math.ceil(times / 4) }
}
