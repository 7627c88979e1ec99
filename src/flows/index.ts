import type { Flow } from './flow.ts'
import { createOrder } from './omnichannel.ts'
import { publish } from './publish.ts'
import { emailReceipt, textReceipt } from './receipts.ts'

/** Every flow there is. */
export const flows: readonly Flow[] = [createOrder, emailReceipt, textReceipt, publish]
