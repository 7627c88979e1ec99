import express, { Router } from 'express'
import type { Stock } from '../stores.ts'
import { type Form, readForm } from './form.ts'
import { stockHere, to } from './frame.ts'
import type { Journal } from './journal.ts'

/** The act of a page's button: gives the sentence that says what came of it. */
type Act = (place: Stock, form: Form, params: Readonly<Record<string, string>>) => string | Promise<string>

interface More {
  /** The part of a form that was refused which stands in the next page once more. */
  again?: (form: Form) => Record<string, string>
  /** Nothing of it is told to those who subscribed. */
  isPrivate?: boolean
}

const readBody = express.urlencoded({ extended: false, limit: '1mb' })

/** The doors that the buttons of pages knock at: each does something, and leads on to a page that says what. */
export function createDoor(journal: Journal) {
  const router = Router()
  return {
    router,

    /** `back`: the page that comes next. */
    on(path: string, back: string, act: Act, { again, isPrivate = false }: More = {}): void {
      router.post(path, readBody, async (request, response) => {
        const place = stockHere(request)
        const form = readForm(request.body)
        const params = request.params as Record<string, string>
        const number = await journal.note(() => act(place, form, params), !isPrivate)
        const kept = (journal.get(number)?.refused && again?.(form)) || {}
        response.redirect(303, to(back, place, { ...kept, done: String(number) }))
      })
    },
  }
}

export type Door = ReturnType<typeof createDoor>
