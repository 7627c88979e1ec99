import type { GoodsLine } from '../../../domain/catalogue/goods.ts'
import { decimal, type TableColumn, text } from './columns.ts'

/** Columns of lines that name goods. */
export function goodsColumns<Line extends GoodsLine>(): TableColumn<Line>[] {
  return [
    text('gtin', ({ gtin }) => gtin),
    text('sku', ({ sku }) => sku),
    decimal('quantity', ({ quantity }) => quantity),
  ]
}
