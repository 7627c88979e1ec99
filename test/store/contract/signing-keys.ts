import { expect } from 'vitest'
import { newSigningKey } from '../../../src/domain/ledger/certificate/signing-key.ts'
import type { Check } from '../under-test.ts'

/** What is kept of the keys that certificates are signed with. */
export function signingKeys(check: Check): void {
  check(
    'When a key takes the place of another, then that one is retired, and who did it is in the audit',
    async (the) => {
      const [first, second] = [newSigningKey(1, 'kari'), newSigningKey(2, 'ola')]
      expect(await the.store.signingKeys()).toEqual([])
      await the.store.addSigningKey(first)
      await the.store.addSigningKey(second)
      for (const open of [() => the.store, () => the.reopen()]) {
        const store = await open()
        expect(await store.signingKeys()).toEqual([{ ...first, retiredAt: 2 }, second])
      }
      const acts = await (await the.reopen()).acts({ action: 'rotate-signing-key' })
      expect(acts.map(({ by, selection }) => [by, selection])).toEqual([
        ['ola', JSON.stringify({ id: second.id })],
        ['kari', JSON.stringify({ id: first.id })],
      ])
      expect(JSON.stringify(acts)).not.toContain(second.privateKey)
    },
  )
}
