import { expect } from 'vitest'
import { payloadOf } from '../../../../src/domain/queue/event.ts'
import type { PersonalChange } from '../../../../src/storage/personal-places.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { sale } from '../../../fixtures/payloads.ts'
import { claim, DELIVERED, HOUR, settle } from '../../acting.ts'
import { compressAll } from '../../payloads/compress-all.ts'
import type { StoreTest, StoreUnderTest } from '../../under-test.ts'

/** Old payloads are compressed, and are there as before, whoever reads them. */
export function compressing(test: StoreTest): void {
  test('When payloads are compressed, then whoever reads them sees what was there before', async (the) => {
    const { storage, clock, arrival } = the
    const given = Array.from({ length: 200 }, (_, n) =>
      arrival({ payload: { ...sale(), receiptNo: String(n) }, headers: { nth: String(n) } }),
    )
    const verdicts = await storage.accept(given)
    const ids = verdicts.map(({ id }) => id ?? 0)
    const some = ids.filter((_, n) => n % 13 === 0)
    const before = await screensOf(storage, some)
    await the.clock.pass(HOUR)

    const all = await compressAll(storage, clock.now())

    expect(all.payloads).toBe(200)
    expect(all.bytes).toBeLessThan(all.plainBytes / 4)
    expect(await screensOf(storage, some)).toEqual(before)
    expect(before.every(({ body }, n) => body === textOf(given[13 * n]?.body))).toBe(true)
    const bodies = new Map((await storage.bodies(ids)).map(({ id, body }) => [id, body]))
    expect(ids.every((id, n) => textOf(bodies.get(id)) === textOf(given[n]?.body))).toBe(true)
  })

  test('When a payload is young, or was compressed before, then it stays as it is', async (the) => {
    const { storage, clock } = the
    const [first] = await storage.accept([large(the)])
    expect(await storage.compressPayloads(0, clock.now())).toMatchObject({ payloads: 0, after: null })
    await the.clock.pass(HOUR)
    const before = clock.now()
    await storage.accept([large(the)])

    expect(await storage.compressPayloads(0, before)).toMatchObject({ payloads: 1, after: first?.id })
    expect(await storage.compressPayloads(0, before)).toMatchObject({ payloads: 0, after: first?.id })
    expect(await storage.compressPayloads(first?.id ?? 0, before)).toMatchObject({ payloads: 0, after: null })
  })

  test('When what is compressed is still owed, then its claim has its body, also after a restart', async (the) => {
    const { storage, clock, arrival } = the
    const given = Array.from({ length: 80 }, (_, nth) => arrival({ payload: { nth } }))
    await storage.accept(given)
    await the.clock.pass(HOUR)
    await compressAll(storage, clock.now())
    const opened = await the.reopen()

    const claims = await claim(opened)
    expect(claims.map(({ event }) => payloadOf(event))).toEqual(given.map((_, nth) => ({ nth })))
    await settle(opened, claims, DELIVERED, clock.now())
  })

  test('When a richer body completes one that is compressed, then it is read, under the headers of the first', async (the) => {
    const { storage, clock } = the
    const thin = large(the, { identity: 'sale:1', headers: { was: 'first' } })
    const [kept] = await storage.accept([thin])
    const id = kept?.id ?? 0
    await the.clock.pass(HOUR)
    expect(await compressAll(storage, clock.now())).toMatchObject({ payloads: 1 })

    const richer = large(the, { identity: 'sale:1', payload: { ...sale(), lines: [1, 2, 3] } })
    const [verdict] = await storage.accept([{ ...richer, completes: { event: id, bodyHash: thin.bodyHash } }])

    expect(verdict).toMatchObject({ status: 'duplicate', id, completed: true, otherBytes: true })
    const full = { headers: { was: 'first' }, body: textOf(richer.body) }
    expect(await screenOf(storage, id)).toEqual(full)
    expect(await compressAll(storage, clock.now() + HOUR)).toMatchObject({ payloads: 1 })
    expect(await screenOf(storage, id)).toEqual(full)
  })

  test('When a payload is rewritten or completed while it is compressed, then what was written counts', async (the) => {
    const { storage, clock } = the
    const body = Buffer.from('{"erased":true}')
    for (let round = 0; round < 10; round += 1) {
      const given = Array.from({ length: 20 }, () => large(the, { identity: `sale:${round}` }))
      const [first, ...others] = given.map((one, nth) => ({ ...one, identity: `sale:${round}-${nth}` }))
      if (!first) throw new Error('There is none.')
      const ids = (await storage.accept([first, ...others])).map(({ id }) => id ?? 0)
      await the.clock.pass(HOUR)
      const [a = 0, b = 0] = ids
      const { rows } = await storage.personalPage({ place: 'payloads', ofEvents: [b] })
      const richer = { ...large(the, { identity: first.identity, payload: { ...sale(), round } }) }

      const compressing = storage.compressPayloads(a - 1, clock.now())
      // Each round begins a little later.
      for (let turn = 0; turn < round; turn += 1) await storage.bodies([a])
      const writing = Promise.all([
        storage.accept([{ ...richer, completes: { event: a, bodyHash: first.bodyHash } }]),
        storage.rewritePersonal(rows.map(({ row, values }) => change(row, values, [values[0] ?? null, body]))),
      ])
      await compressing
      const [[verdict], rewritten] = await writing

      expect(verdict).toMatchObject({ completed: true })
      expect(rewritten).toBe(1)
      expect((await screenOf(storage, a)).body).toBe(textOf(richer.body))
      expect((await screenOf(storage, b)).body).toBe(textOf(body))
      expect((await screenOf(storage, ids[2] ?? 0)).body).toBe(textOf(others[1]?.body))
    }
  })

  test('When payloads are rewritten, then they are others wherever they lay, and the rest is as it was', async (the) => {
    const { storage, clock, arrival } = the
    const old = Array.from({ length: 8 }, () => large(the))
    const ids = (await storage.accept(old)).map(({ id }) => id ?? 0)
    await the.clock.pass(HOUR)
    await compressAll(storage, clock.now())
    const [young] = await storage.accept([arrival({ headers: { from: 'eva' } })])
    const [a = 0, b = 0] = [ids[3], young?.id ?? 0]
    const body = Buffer.from('{"erased":true}')

    const { rows } = await storage.personalPage({ place: 'payloads', ofEvents: [a, b] })
    const changes = rows.map(({ row, values }) =>
      change(row, values, [row === String(b) ? '{"from":""}' : (values[0] ?? null), body]),
    )
    const gone = change('999999', ['{}', body], ['{}', body])
    expect(await storage.rewritePersonal([...changes, gone])).toBe(2)

    expect(await screenOf(storage, a)).toEqual({ headers: old[3]?.headers, body: textOf(body) })
    expect(await screenOf(storage, b)).toEqual({ headers: { from: '' }, body: textOf(body) })
    expect(await screenOf(storage, ids[4] ?? 0)).toEqual({ headers: old[4]?.headers, body: textOf(old[4]?.body) })
    const opened = await the.reopen()
    expect(textOf((await claim(opened)).find(({ event }) => event.id === a)?.event.body)).toBe(textOf(body))
  })

  test('When payloads are dropped while they are compressed, then those that count as dropped are gone', async (the) => {
    const { storage, clock } = the
    for (let round = 0; round < 10; round += 1) {
      const given = Array.from({ length: 20 }, () => ({ ...large(the), deliveries: [] }))
      const ids = (await storage.accept(given)).map(({ id }) => id ?? 0)
      await the.clock.pass(HOUR)

      const compressing = storage.compressPayloads((ids[0] ?? 0) - 1, clock.now())
      // Each round begins to drop a little later.
      for (let turn = 0; turn < round; turn += 1) await storage.bodies([ids[0] ?? 0])
      const { dropped } = await storage.dropPayloads(ids.slice(0, 10))
      await compressing
      expect(dropped).toBe(10)
      expect((await storage.bodies(ids)).map(({ id }) => id).sort((x, y) => x - y)).toEqual(ids.slice(10))
    }
  })
}

function large({ arrival }: StoreUnderTest, given: Parameters<StoreUnderTest['arrival']>[0] = {}) {
  no += 1
  return arrival({ payload: sale({ receiptNo: String(no) }), ...given })
}

let no = 0

function change(row: string, from: PersonalChange['from'], to: PersonalChange['from']): PersonalChange {
  return { place: 'payloads', row, from, to }
}

async function screenOf(storage: Storage, id: number) {
  const event = await storage.event(id)
  return { headers: event?.headers, body: textOf(event?.body) }
}

async function screensOf(storage: Storage, ids: readonly number[]) {
  const all: Awaited<ReturnType<typeof screenOf>>[] = []
  for (const id of ids) all.push(await screenOf(storage, id))
  return all
}

function textOf(body: Uint8Array | null | undefined): string | null {
  return body ? Buffer.from(body).toString() : null
}
