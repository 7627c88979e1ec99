import { Router } from 'express'
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { readBody } from '../sales/door.ts'

const NewVoucher = z.object({
  amount: z.number().positive(),
  storeId: z.int().nullish(),
  storeExtId: z.string().nullish(),
})

/** Vouchers (facts, §3): each is redeemed once. Their records are not shown: the names are those of a customer's offers. */
export function createVouchersApi(now: () => number): Router {
  const vouchers = new Map<string, { amount: number; redeemed: number | null }>()
  const router = Router()
  router.post('/api/Voucher', ({ body }, response) => {
    const { amount } = readBody(NewVoucher, body, Object.keys(NewVoucher.shape))
    const code = `V-${200_001 + vouchers.size}`
    vouchers.set(code, { amount, redeemed: null })
    response.json({ code, amount })
  })
  router.get('/api/Voucher/:code', ({ params: { code } }, response) => {
    const { amount, redeemed } = voucher(code)
    response.json({ code, amount, redeemed: redeemed === null ? null : new Date(redeemed).toISOString() })
  })
  router.post('/api/Voucher/redeem/:code', ({ params: { code } }, response) => {
    const found = voucher(code)
    if (found.redeemed !== null) throw new Refusal(400, 'The voucher was redeemed before.')
    found.redeemed = now()
    response.status(200).end()
  })
  return router

  function voucher(code: string) {
    const found = vouchers.get(code)
    if (!found) throw new Refusal(404, 'There is no such voucher.')
    return found
  }
}
