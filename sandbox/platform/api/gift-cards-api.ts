import { Router } from 'express'
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { toAmount } from '../sales/amounts.ts'
import { readBody, storeOfHeader } from '../sales/door.ts'
import type { GiftCard, GiftCards } from '../sales/gift-cards.ts'

const Booking = z.object({ saleId: z.int().nullish(), amount: z.number(), comment: z.string().nullish() })

/** Gift cards for an online store (facts, §3 "gift cards"). A token that nobody has becomes a card. */
export function createGiftCardsApi(cards: GiftCards): Router {
  const router = Router()
  router.get('/api/Giftcard', (request, response) => {
    const { Currency } = storeOfHeader(request)
    const onlyActive = request.query.IncludeActivesOnly === 'true'
    const found = cards.all().filter((one) => one.currency === Currency && (one.balance > 0 || !onlyActive))
    response.json(found.map(recordOf))
  })
  router.get('/api/Giftcard/:token/balance', ({ params: { token } }, response) => {
    const found = cards.byToken(token)
    if (!found) throw new Refusal(404, 'There is no such gift card.')
    response.json(toAmount(found.balance))
  })
  router.post('/api/Giftcard/:token', (request, response) => {
    const { amount } = readBody(Booking, request.body, Object.keys(Booking.shape))
    cards.book(request.params.token, Math.round(amount * 100), storeOfHeader(request))
    response.status(200).end()
  })
  return router
}

function recordOf({ id, token, balance, initial }: GiftCard) {
  return {
    id,
    token,
    amount: toAmount(balance),
    initialAmount: toAmount(initial),
    issueSaleId: null,
    issueDate: null,
    lastUsedDate: null,
  }
}
