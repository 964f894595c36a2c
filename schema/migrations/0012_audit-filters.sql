ALTER TABLE `audit_log` RENAME COLUMN "network" TO "ip_address";--> statement-breakpoint
DROP INDEX `audit_log_actor`;--> statement-breakpoint
CREATE INDEX `audit_log_org_action` ON `audit_log` (`org_id`,`action`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_log_action` ON `audit_log` (`action`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_log_actor_id` ON `audit_log` (`actor_id`,`created_at`) WHERE actor_id is not null;--> statement-breakpoint
CREATE INDEX `audit_log_actor` ON `audit_log` (`actor_user_id`,`created_at`);