// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Emits any log that its caller orders, also one that no honest token would emit. As a token it has six decimals.
contract Scribe {
    function decimals() external pure returns (uint8) {
        return 6;
    }

    /// The input is the number of topics as one byte, the topics as words, and then the data of the log.
    fallback() external {
        assembly ("memory-safe") {
            let topics := byte(0, calldataload(0))
            let start := add(1, mul(32, topics))
            let size := sub(calldatasize(), start)
            let data := mload(0x40)
            calldatacopy(data, start, size)
            switch topics
            case 0 { log0(data, size) }
            case 1 { log1(data, size, calldataload(1)) }
            case 2 { log2(data, size, calldataload(1), calldataload(33)) }
            case 3 { log3(data, size, calldataload(1), calldataload(33), calldataload(65)) }
            case 4 { log4(data, size, calldataload(1), calldataload(33), calldataload(65), calldataload(97)) }
            default { revert(0, 0) }
        }
    }
}
