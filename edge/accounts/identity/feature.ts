import type { Feature } from '../../http/feature.ts'
import { authenticateSession } from './authenticate.ts'
import { notifyFormerAddress, notifyOfPassword, notifyOfSecondFactor, notifyOfSignIn } from './notices.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { identityPersonalData } from './personal-data.ts'
import { pruneIdentity } from './prune.ts'
import { renewCookieToken } from './renewal.ts'
import { identityRoutes } from './routes.ts'
import { secondFactorRoutes } from './second-factor/routes.ts'

export const identityFeature = {
	routes: [...identityRoutes, ...secondFactorRoutes, ...passkeyRoutes],
	authenticators: { person: authenticateSession, renew: renewCookieToken },
	followers: {
		'account.signed_in_anew': notifyOfSignIn,
		'account.password_changed': notifyOfPassword,
		'account.email_changed': notifyFormerAddress,
		'account.second_factor_changed': notifyOfSecondFactor,
	},
	prune: ({ db, now }) => pruneIdentity(db, now),
	personalData: identityPersonalData,
} satisfies Feature
