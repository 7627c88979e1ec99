/** Digits enough, even with signs between them, to be a telephone number, a date of birth or a card. */
const DIGITS = /(?:\d[-./:]?){6}/

const CODE = /^[A-Za-z0-9_.:/#-]{1,80}$/

const NAME = /^[A-Za-z_$/[][\w.$/[\]-]{0,79}$/

/** Whether a text of the other side looks like the code of a program, and like nothing about a person. */
export function isCode(text: string): boolean {
  return CODE.test(text) && !DIGITS.test(text)
}

/** Whether a text of the other side looks like the name of a field, or a path to one: `billing.email`, `/lines/0/price`. */
export function isName(text: string): boolean {
  return NAME.test(text) && !DIGITS.test(text)
}
