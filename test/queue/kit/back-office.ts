import type { SubmittedStockLevel } from '../../../src/domain/catalogue/submitted.ts'
import { RefusedTogetherError } from '../../../src/domain/values/errors.ts'
import type { Flow } from '../../../src/flows/flow.ts'
import type { BatchResult, PlatformPort } from '../../../src/ports/ports.ts'
import { flowOf, GIVEN } from './kit.ts'

/** What becomes of one call, in place of the usual. */
type Turn = (gtins: string[], signal: AbortSignal) => BatchResult | Promise<BatchResult>

/** A system that takes levels of stock, many at once: a request with a bad one in it is refused as a whole. */
export function createBackOffice() {
  const office = {
    calls: [] as string[][],
    levels: new Map<string, string>(),
    bad: new Set<string>(),
    turns: [] as Turn[],
    destination: (more: object = {}) => ({
      adapter: GIVEN,
      ports: { platform: { setStock } as Partial<PlatformPort> as PlatformPort },
      ...more,
    }),
  }

  const setStock: PlatformPort['setStock'] = async (batch) => {
    const gtins = batch.map(({ argument }) => argument.gtin)
    office.calls.push(gtins)
    const turn = office.turns.shift()
    if (turn) return await turn(gtins, batch[0]?.attempt.signal ?? AbortSignal.abort())
    const bad = gtins.find((gtin) => office.bad.has(gtin))
    if (bad !== undefined) throw new RefusedTogetherError(`there is no article ${bad}`)
    for (const { argument } of batch) office.levels.set(argument.gtin, argument.quantity)
    return batch.map(() => ({}))
  }
  return office
}

/** Movements become levels of their article: a flow of the test's own, in batches. */
export function levelsFlow(more: Partial<Flow> = {}): Flow {
  return flowOf('levels', {
    kinds: ['StockMovementCreated'],
    port: 'platform',
    urgency: 'bulk',
    plan: ({ payload }) => [{ part: '', entity: `level:${levelOf(payload).gtin}`, batch: 'stock 12' }],
    call: ({ body }) => ({
      port: 'platform',
      method: 'setStock',
      argument: levelOf(JSON.parse(Buffer.from(body).toString())),
    }),
    ...more,
  })
}

export function levelOf(payload: unknown): SubmittedStockLevel {
  const { gtin, movementId } = payload as { gtin: string; movementId: number }
  return { stockId: '12', gtin, quantity: String(movementId) }
}
