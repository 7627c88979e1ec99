import { readConfig } from '../../hub/read-config.ts'
import { type RehearsalOf, shadowed } from '../../hub/rehearsal/shadowed.ts'
import { type Hub, startHub } from '../../hub.ts'
import { openReading } from '../../store/reading/open-reading.ts'

/*
 * A hub that is rehearsed, in a process of its own, so that it can be killed. It is told what it is by its first message, says
 * where it listens, and ends with whoever started it.
 */

/** Requests and calls under way when it is told to stop get so long to finish (milliseconds). */
const PATIENCE = 8_000

process.umask(0o077)

let hub: Hub | null = null

async function begin(given: RehearsalOf): Promise<void> {
  const { config, folder } = await readConfig(process.env)
  const stores = await storesIn(given.storeUrl)
  hub = await startHub(await shadowed(config, folder, stores, given), folder)
  process.send?.({ url: hub.url })
}

/** The platform's stores, as its store was given them. */
async function storesIn(storeUrl: string) {
  await using reading = await openReading(storeUrl)
  return await reading.stores()
}

process.on('message', (message: RehearsalOf | 'stop') => {
  if (message !== 'stop')
    void begin(message).catch((error: Error) => process.send?.({ problem: error.message }, () => process.exit(1)))
  else void Promise.resolve(hub?.stop(PATIENCE)).finally(() => process.exit(0))
})
process.on('disconnect', () => process.exit(1))
