import { expect } from 'vitest'
import type { AdapterInstance } from '../../src/adapters/adapter.ts'
import { lookAt } from '../../src/adapters/shared/health-check.ts'
import type { HealthFinding } from '../../src/ports/attempt.ts'

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
  const found = await lookAt(instance, { signal })
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
