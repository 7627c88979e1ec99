import { z } from 'zod'

const PROXY = /^(loopback|linklocal|uniquelocal|[0-9a-f:.]{2,45}(\/\d{1,3})?)$/i

/** As Express takes them: addresses, ranges, or its names for private ones. */
export const TrustedProxies = z
  .array(
    z.string().regex(PROXY, {
      error: 'an address, a range such as 10.0.0.0/8, or loopback, linklocal or uniquelocal',
    }),
  )
  .default([])
