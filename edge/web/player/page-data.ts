import { PAGE_DATA_ID, type PlayerPage } from '#schema/contract/watch/player-page.ts'

/** Reads the data block that the Worker wrote into the page. */
export const readPageData = (): PlayerPage =>
	JSON.parse(document.getElementById(PAGE_DATA_ID)?.textContent ?? '')
