import type { Feature } from '../../http/feature.ts'
import { sendCode, sendMail } from './consume.ts'
import { mailPersonalData } from './personal-data.ts'
import { refusalStore } from './refusal-store.ts'
import { mailRoutes } from './routes.ts'
import { mailStore } from './store.ts'

export const mailFeature = {
	routes: mailRoutes,
	consumers: { 'mail.send': sendMail, 'code.send': sendCode },
	async prune({ db, now }) {
		await mailStore(db).prune(now)
		await refusalStore(db).pruneReports(now)
	},
	personalData: mailPersonalData,
} satisfies Feature
