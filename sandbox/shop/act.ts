/** The act that a request would do; WooCommerce refuses each in other words. */
export type Act = 'list' | 'view' | 'create' | 'edit' | 'delete' | 'batch'
