DROP INDEX `api_keys_deactivated`;--> statement-breakpoint
CREATE INDEX `api_keys_deactivated` ON `api_keys` (`deactivated_at`) WHERE "api_keys"."deactivated_at" is not null;