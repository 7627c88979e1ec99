/**
 * The body of an order as the public API has it, in the form of the spec: numbers become text, and other names those of the
 * spec (facts, §2 "Omni body"). Text may stay: an older schema of that API has it too.
 */
export function fromPublic(body: unknown): unknown {
  if (!isRecord(body)) return body
  const { createdDateTime, customer, orderLines, paymentLines, ...same } = body
  const { address, phoneCountryPrefix, ...person } = isRecord(customer) ? customer : {}
  return {
    ...same,
    ...(createdDateTime !== undefined && { saleDateTime: createdDateTime }),
    ...(address !== undefined && { billingAddress: address }),
    customer: { ...person, ...(phoneCountryPrefix !== undefined && { phoneCountryCode: phoneCountryPrefix }) },
    orderLines: asText(orderLines),
    ...(paymentLines !== undefined && { paymentLines: asText(paymentLines) }),
  }
}

function asText(lines: unknown): unknown {
  if (!Array.isArray(lines)) return lines
  return lines.map((line: unknown) =>
    isRecord(line)
      ? Object.fromEntries(Object.entries(line).map(([name, value]) => [name, isNumber(value) ? `${value}` : value]))
      : line,
  )
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
