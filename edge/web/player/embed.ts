import { answerFailure } from './embed-api/answer-failure.ts'
import { connectEmbedApi } from './embed-api/connect.ts'
import { readPageData } from './page-data.ts'
import { showPlayer } from './player-view.ts'
import { runFailurePage } from './states/failure-page.ts'

const page = readPageData()
if (page.video) connectEmbedApi(await showPlayer(page, page.video))
else {
	runFailurePage(page)
	answerFailure(page)
}
