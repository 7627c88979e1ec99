import { expect } from 'vitest'
import type { AdapterInstance } from '../../src/adapters/adapter.ts'
import { runHealthCheck } from '../../src/adapters/shared/health-check.ts'
import { createStoreIndex } from '../../src/domain/stores/store-index.ts'
import type { Resource } from '../../src/http/submissions/reading.ts'
import { orders } from '../../src/http/submissions/resources/trade.ts'
import { createStoreFinder } from '../../src/http/submissions/stores.ts'
import type { HealthFinding, IntakeItem } from '../../src/ports/ports.ts'

export interface Look {
  /** `credentials: problem`, in its order. */
  states: string[]
  /** What is said of one thing, with what to do. */
  about(what: string): string
}

/** Has an adapter look at its system. Whatever it finds, it says in sentences what is wrong and what to do, and no secret. */
export async function look(
  instance: AdapterInstance,
  { secrets = [], signal = AbortSignal.timeout(5_000) }: { secrets?: string[]; signal?: AbortSignal } = {},
): Promise<Look> {
  const found = await runHealthCheck(instance, { signal })
  expect(found.length).toBeGreaterThan(0)
  for (const { what, state, says, todo } of found) {
    expect(what).toMatch(/^(connection|credentials|rights|version|stock|clock|channel|(folder|table) \S+)$/)
    expect(says).toMatch(/^[A-Z].*\.$/s)
    if (state === 'problem' || state === 'unknown') expect(todo, says).toMatch(/^\S/)
    for (const secret of secrets) expect(`${says} ${todo}`).not.toContain(secret)
  }
  return {
    states: found.map(({ what, state }) => `${what}: ${state}`),
    about: (what) => spoken(found.find((one) => one.what === what)),
  }
}

function spoken(found: HealthFinding | undefined): string {
  return found ? `${found.says} ${found.todo ?? ''}`.trim() : 'nothing'
}

/** What `/v1` says against what a shop hands over, with a store put to it: nothing, if it takes it. */
export function faultsOf(resource: Resource, item: IntakeItem | undefined): string[] {
  const directory = createStoreIndex([{ storeId: '1', number: '101', stockId: '11', countryCode: 'NO' }])
  const stores = createStoreFinder(() => directory, { NO: '101' })
  const context = { system: 'shop', insertOnly: false, force: false, stores }
  const value = resource === orders ? { ...item?.value, storeNo: '101' } : item?.value
  return [...resource.readObject(value, context)].flatMap((reading) => ('faults' in reading ? reading.faults : []))
}
