import { z } from 'zod'

/** The text of a search. Stores read at most SEARCH_LIMIT rows for each way in which it may match. */
export const SearchText = z.string().trim().min(2).max(254)
export const SEARCH_LIMIT = 200

/** Counts stop here, so that none of them reads more rows. */
export const MAX_COUNTED = 1_000
