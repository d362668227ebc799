// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Makes the calls that its caller orders, and goes on when one of them fails. Without input it takes coins.
contract Wallet {
    /// The input is a list of calls: the receiver, the value and the length of the data as words, then the data.
    fallback() external payable {
        uint256 offset = 0;
        while (offset < msg.data.length) {
            (address to, uint256 value, uint256 length) =
                abi.decode(msg.data[offset:offset + 96], (address, uint256, uint256));
            offset += 96;
            (bool succeeded,) = to.call{value: value}(msg.data[offset:offset + length]);
            succeeded;
            offset += length;
        }
    }

    receive() external payable {}
}
