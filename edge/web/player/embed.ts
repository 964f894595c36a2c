import { openPage } from './open-page.ts'
import { readPageData } from './page-data.ts'

await openPage(readPageData())
