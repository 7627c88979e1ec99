import { expect, test } from 'vitest'
import { tell } from '../../kill/tell.ts'
import { killBeforeBadShop, NOTHING_WRONG } from './bad-shop-kit.ts'

test('When the hub is killed 200 times before a shop that is silent, fails and refuses, then each of 1,500 orders is there once, and ten minutes later nothing waits', async () => {
  const verdict = await killBeforeBadShop({
    kills: 200,
    orders: 1_500,
    shares: { silent: 0.05, 500: 0.05, 429: 0.05 },
    lives: { from: 200, to: 4_000 },
    after: 'waits',
  })
  tell(verdict)
  expect(verdict).toMatchObject(NOTHING_WRONG)
}, 3_600_000)
