import * as contract from '#schema/contract/platform/settings/ai.ts'
import { type Route, serve } from '../http/route.ts'
import { changeAiSettings, readAiSettings } from './settings/ai-settings.ts'
import { testProvider } from './settings/test-provider.ts'

export const aiProviderRoutes: Route[] = [
	serve(contract.getAiSettings, async ({ deps, caller }) => ({
		data: await readAiSettings(deps, caller.org.id),
	})),

	serve(contract.updateAiSettings, async ({ deps, caller, body }) => ({
		data: await changeAiSettings(deps, caller.org.id, body),
	})),

	serve(contract.testAiSettings, async ({ deps, caller, body }) => ({
		data: await testProvider(deps, caller.org.id, body?.transcription),
	})),
]
