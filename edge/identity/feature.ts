import type { Feature } from '../http/feature.ts'
import { authenticateSession } from './authenticate.ts'
import { notifyFormerAddress, notifyOfPassword, notifyOfSignIn } from './notices.ts'
import { identityPersonalData } from './personal-data.ts'
import { pruneIdentity } from './prune.ts'
import { identityRoutes } from './routes.ts'

export const identityFeature = {
	routes: identityRoutes,
	authenticators: { person: authenticateSession },
	followers: {
		'account.signed_in_anew': notifyOfSignIn,
		'account.password_changed': notifyOfPassword,
		'account.email_changed': notifyFormerAddress,
	},
	prune: ({ db, now }) => pruneIdentity(db, now),
	personalData: identityPersonalData,
} satisfies Feature
