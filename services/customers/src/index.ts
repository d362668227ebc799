export { type CustomersConfig, customersConfig } from "./config.ts";
export { startCustomers } from "./start.ts";
