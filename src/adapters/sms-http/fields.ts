/** Fields that the words of a receipt may name. */
export const RECEIPT_FIELDS = ['store', 'link', 'receipt', 'total', 'name'] as const

/** Fields that the words of a message about an order may name. `greeting` is `Hello Kari!`, or nothing where it does not fit. */
export const ORDER_FIELDS = ['store', 'order', 'goods', 'greeting', 'name'] as const

/** Fields that the URL's query and the body may name besides secrets. */
export const REQUEST_FIELDS = ['to', 'toDigits', 'text', 'key', 'order', ...RECEIPT_FIELDS] as const

/** Values that a text may show of a sale or an order. Empty where it is not known. */
export type TextValues = Readonly<
  Record<'store' | 'link' | 'receipt' | 'total' | 'name' | 'order' | 'goods' | 'greeting', string>
>
