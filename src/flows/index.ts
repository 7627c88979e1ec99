import { bookings, receivedGoods } from './back-office.ts'
import { customers } from './customers.ts'
import type { Flow } from './flow.ts'
import { goodsMoves, masterData, reservedGoods, stockLevels } from './master-data.ts'
import { emailReceipt, orderMessages, textReceipt } from './messages.ts'
import { mirrorFacts, mirrorStock } from './mirror.ts'
import { orderFlows } from './orders.ts'
import { publish, publishStock } from './publish.ts'
import { orderUnread } from './update.ts'

export const flows: readonly Flow[] = [
  ...orderFlows,
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
