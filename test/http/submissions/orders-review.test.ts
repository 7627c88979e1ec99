import { expect, test } from 'vitest'
import { order, shareCounter } from './given.ts'

const counter = shareCounter()

test('When a cancelled order is submitted once more, then it is refused: the store would never have it', async () => {
  const { submit } = counter()
  expect((await submit('orders', order('X-1'), { key: 'x-1' })).status).toBe(202)
  expect((await submit('orders/X-1', '', { method: 'DELETE', key: 'x-1 off' })).status).toBe(202)
  const again = await submit('orders', order('X-1'), { key: 'x-1 anew' })
  const sentTwice = await submit('orders', order('X-1'), { key: 'x-1' })
  expect(again.status).toBe(422)
  expect(JSON.stringify(again.body)).toContain('order X-1 was cancelled before')
  expect(sentTwice.status).toBe(200)
})
