import { expect, test } from 'vitest'
import { tell } from '../../kill/tell.ts'
import { killBeforeBadShop, NOTHING_WRONG } from './bad-shop-kit.ts'

// The short form: few orders, so a shop that is silent more often. bad-shop.soak.ts is the whole.
test('When the hub is killed before a shop that is silent, fails and refuses, then all has happened once', async () => {
  const verdict = await killBeforeBadShop({
    kills: 1,
    orders: 12,
    shares: { silent: 0.2, 500: 0.05, 429: 0.05 },
    lives: { from: 200, to: 600 },
    after: 'clock goes on',
  })
  tell(verdict)
  expect(verdict).toMatchObject(NOTHING_WRONG)
  // Of so few calls, one sort of fault may be missing by chance.
  expect(Object.values(verdict.spoilt).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0)
}, 300_000)
