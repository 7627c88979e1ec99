import { expect, test } from 'vitest'
import type { Witness } from '../../../src/delivery/evidence/witness.ts'
import { nameNotBorneOut } from '../../../src/hub/setup.ts'
import { createTestLog, flowOf } from '../kit/parts.ts'

const claiming = flowOf('capture', { port: 'orders', claims: () => ({ order: 'A1', is: 'picked' }) })

function saidWith(witness: Witness, ...ports: string[]) {
  const { logger, said } = createTestLog()
  const destinations = ports.map((port) => ({
    name: `the-${port}`,
    abilities: [port],
    publish: 'all' as const,
    skip: [],
    stores: null,
    messages: [],
    channels: {},
    daily: { flows: [], afterClose: 0 } as never,
  }))
  const other = { ...claiming, port: 'email' } as const
  nameNotBorneOut(witness, [flowOf('publish'), claiming, other], destinations, logger)
  return said
}

test('When the platform cannot be asked, then destinations whose steps will be held for that are named at start, with what to do', () => {
  expect(saidWith('nobody', 'orders', 'publish')).toMatchObject([
    {
      level: 40,
      msg: 'hub.orders-not-borne-out',
      destinations: ['the-orders'],
      todo: expect.stringContaining('set platform.baseUrl'),
    },
  ])
})

test('When nobody gets such steps, or the platform or config bears them out, then nothing is said', () => {
  expect(saidWith('nobody', 'publish')).toEqual([])
  expect(saidWith('operator', 'orders')).toEqual([])
  expect(saidWith({} as Witness, 'orders')).toEqual([])
})
