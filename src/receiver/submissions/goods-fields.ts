import { z } from 'zod'

export const Gtin = z
  .string()
  .trim()
  .min(1)
  .max(50)
  .describe('The EAN or GTIN of the size, as text: it may begin with 0.')

/** Instead of a GTIN. */
export const FreightFlag = z
  .literal(true)
  .nullish()
  .describe('true: this line is freight. The hub asks the platform for the article that it names freight by.')

/** The goods of a line: a size by its GTIN, or freight, but not both. Told together with the other faults. */
export function namesGoods(name: 'gtin' | 'identity') {
  return {
    check: (line: Record<string, unknown>) => ((line[name] ?? null) !== null) !== (line.freight === true),
    told: {
      path: [name],
      error: `the GTIN of what was sold, or freight: true`,
      when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
    },
  }
}
