import { bookings } from './back-office.ts'
import { customers } from './customers.ts'
import type { Flow } from './flow.ts'
import { goodsMoves, masterData, stockLevels } from './master-data.ts'
import { emailReceipt, orderMessages, textReceipt } from './messages.ts'
import { mirrorFacts, mirrorStock } from './mirror.ts'
import { fulfilment } from './omnichannel/fulfilment.ts'
import { placement } from './omnichannel/placement.ts'
import { orderUnread } from './omnichannel/update.ts'
import { publish, publishStock } from './publish.ts'
import { receivedGoods, reservedGoods } from './received-goods.ts'

export const flows: readonly Flow[] = [
  ...placement,
  ...fulfilment,
  orderUnread,
  ...orderMessages,
  emailReceipt,
  textReceipt,
  publish,
  ...masterData,
  ...stockLevels,
  ...goodsMoves,
  ...reservedGoods,
  ...customers,
  publishStock,
  mirrorStock,
  mirrorFacts,
  ...bookings,
  ...receivedGoods,
]
