import { existsSync } from 'node:fs'

const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** A Chromium of this machine (or the one that CHROMIUM names); null: none, and tests that need one are skipped. */
export const chromiumPath = PLACES.find((path) => path !== undefined && existsSync(path)) ?? null

/** For the titles of tests that are skipped without one. */
export const whyNoBrowser = chromiumPath === null ? ' (skipped: no Chromium here; CHROMIUM may name one)' : ''
