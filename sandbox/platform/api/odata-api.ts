import { type NextFunction, type Request, type Response, Router } from 'express'
import { answerError, answerRows } from '../odata/answer.ts'
import { OdataRefusal } from '../odata/query.ts'
import { createSets, type OdataSource } from '../odata/sets.ts'

/** The sets of odata about sales and stock. There is no `$metadata` and no list of the sets (facts, §5 trap 4). */
export function createOdataApi(source: OdataSource): Router {
  const sets = createSets(source)
  const router = Router()
  router.get('/odata/Saleslines', (request, response) => {
    answerRows(request, response, 'Saleslines', sets.saleslines(readable(request)))
  })
  router.get('/odata/Stockmovements', (request, response) => {
    answerRows(request, response, 'Stockmovements', sets.stockmovements(readable(request)))
  })
  router.get('/odata/Stockstatus', (request, response) => {
    answerRows(request, response, 'Stockstatus', sets.stockstatus(readable(request)))
  })
  router.use('/odata', answerOdataRefusal)
  return router
}

/** Refusals of odata are answered in its own shape. */
export function answerOdataRefusal(error: unknown, request: Request, response: Response, next: NextFunction): void {
  if (error instanceof OdataRefusal) answerError(request, response, error.status, error.message)
  else next(error)
}

/** The query, without what odata knows and these sets have not. */
function readable({ query }: Request): Request['query'] {
  if (query.$expand !== undefined) throw new OdataRefusal(400, '$expand: there is nothing to expand.')
  return query
}
